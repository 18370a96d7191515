# The one list of what is in this build. A part is a folder (sinks, sources) or a file (routines, profilers, commands); this list adds it to
# the build, and the table made from it registers it. tests/layout compares it with the folders and files that are there.
#
#   sinks/NAME, sources/NAME    taffrail::sinks::NAME::register_part()           in register.cpp
#   routines/NAME.cpp           taffrail::routines::register_NAME()
#   profilers/NAME.cpp          taffrail::profilers::register_NAME()
#   cli/command_NAME.cpp        taffrail::cli::make_NAME()                       in the order of the overview
set(TAFFRAIL_SINKS csv terminal tensorboard wandb mlflow comet neptune aim)
set(TAFFRAIL_SOURCES native tensorboard wandb mlflow comet neptune aim trackio)
set(TAFFRAIL_ROUTINES metric histogram hparams image mesh video text audio table graph)
set(TAFFRAIL_PROFILERS none basic simple advanced trace)
set(TAFFRAIL_COMMANDS demo ui ls show compare tail profile export import sync tag note rm restore gc du verify seal list version completion)

# What a build may lack.
if(NOT TAFFRAIL_SERVER)
    list(REMOVE_ITEM TAFFRAIL_COMMANDS ui)
endif()
