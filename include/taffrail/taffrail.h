// Everything a training program needs.
#pragma once

#include <taffrail/communicator.h>
#include <taffrail/key.h>
#include <taffrail/profiler.h>
#include <taffrail/reader.h>
#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/routine.h>
#include <taffrail/run.h>
#include <taffrail/sink.h>
#include <taffrail/summary_writer.h>
#include <taffrail/value.h>
#include <taffrail/version.h>
