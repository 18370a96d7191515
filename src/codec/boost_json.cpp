// Boost.JSON's own definitions, compiled once (no other file of the layer pays for them).
#include <boost/json/src.hpp>
