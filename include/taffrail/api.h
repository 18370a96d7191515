// Marks what a program may call: the shared library shows these symbols and no others.
#pragma once

#define TAFFRAIL_API [[gnu::visibility("default")]]
