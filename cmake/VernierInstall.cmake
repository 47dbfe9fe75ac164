# find_package(vernier) works from the installed tree; tests/consumer proves it.
include(CMakePackageConfigHelpers)
install(EXPORT vernier NAMESPACE vernier:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vernier)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/vernierConfig.cmake.in
  ${PROJECT_BINARY_DIR}/vernierConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vernier)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/vernierConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vernierConfig.cmake ${PROJECT_BINARY_DIR}/vernierConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindKLU.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vernier)
