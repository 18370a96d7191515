# The presets compile through ccache and link with mold. Where one is not there, CMake's own trial of the compiler fails
# before anything else, in words that do not say what to do. Included before project(), also run as a script by a test.
foreach(tool IN ITEMS ccache mold)
    if("${CMAKE_CXX_COMPILER_LAUNCHER}" STREQUAL "${tool}" OR "${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fuse-ld=${tool}( |$)")
        find_program(TAFFRAIL_HAS_${tool} NAMES ${tool} ld.${tool})
        mark_as_advanced(TAFFRAIL_HAS_${tool})
        if(NOT TAFFRAIL_HAS_${tool})
            message(FATAL_ERROR "The presets use ${tool}, which is not installed. scripts/dependencies.sh lists the packages of a build. "
                "Without a preset it is not needed: cmake -B build -DCMAKE_BUILD_TYPE=Release")
        endif()
    endif()
endforeach()
