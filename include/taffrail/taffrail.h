// Everything a training program needs.
#pragma once

#include <taffrail/communicator.h>
#include <taffrail/config.h>
#include <taffrail/event_writer.h>
#include <taffrail/key.h>
#include <taffrail/logger.h>
#include <taffrail/profiler.h>
#include <taffrail/progress.h>
#include <taffrail/reader.h>
#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/routine.h>
#include <taffrail/run.h>
#include <taffrail/sink.h>
#include <taffrail/terminal.h>
#include <taffrail/training_bars.h>
#include <taffrail/value.h>
#include <taffrail/version.h>
