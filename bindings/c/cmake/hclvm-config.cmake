# Defines the target hclvm::hclvm. Installed as <prefix>/lib/cmake/hclvm/hclvm-config.cmake.
get_filename_component(_hclvm_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET hclvm::hclvm)
  find_library(HCLVM_LIBRARY NAMES hclvm_c PATHS "${_hclvm_prefix}/lib" NO_DEFAULT_PATH REQUIRED)
  add_library(hclvm::hclvm UNKNOWN IMPORTED)
  set_target_properties(hclvm::hclvm PROPERTIES
    IMPORTED_LOCATION "${HCLVM_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${_hclvm_prefix}/include")
endif()
unset(_hclvm_prefix)
