# What `cmake --install` puts where: headers, library, package files, the command and its run-time modules.
if(NOT TAFFRAIL_INSTALL)
    return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS taffrail EXPORT taffrailTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/taffrail DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/taffrail)
install(EXPORT taffrailTargets NAMESPACE taffrail:: DESTINATION ${package_folder} COMPONENT library)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/taffrailConfig.cmake.in
    ${PROJECT_BINARY_DIR}/taffrailConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/taffrailConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/taffrailConfig.cmake ${PROJECT_BINARY_DIR}/taffrailConfigVersion.cmake
    DESTINATION ${package_folder} COMPONENT library)

# Found with find_package(taffrail COMPONENTS mpi): only those who ask for it need MPI.
if(TARGET taffrail_mpi)
    install(TARGETS taffrail_mpi EXPORT taffrailMpiTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
    install(EXPORT taffrailMpiTargets NAMESPACE taffrail:: DESTINATION ${package_folder} COMPONENT library)
endif()

if(TARGET taffrail_cuda)
    install(TARGETS taffrail_cuda LIBRARY DESTINATION lib/taffrail COMPONENT command)
endif()
if(TARGET taffrail_rocksdb_module)
    install(TARGETS taffrail_rocksdb_module LIBRARY DESTINATION lib/taffrail COMPONENT command)
endif()
if(TARGET taffrail_video)
    install(TARGETS taffrail_video LIBRARY DESTINATION lib/taffrail COMPONENT command)
endif()
foreach(program taffrail_command vae_digits taffrail-tb-data-server)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
    endif()
endforeach()
if(TARGET vae_digits)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/taffrail COMPONENT command)
endif()
