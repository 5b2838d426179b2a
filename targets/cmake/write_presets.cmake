# Writes targets/boards/presets.json: the presets of each board that has a file
# in targets/boards. Run it after adding a board:
#   cmake -P targets/cmake/write_presets.cmake
# With -DTO=<file> before -P, it writes there instead.
cmake_minimum_required(VERSION 3.25)
get_filename_component(folder "${CMAKE_CURRENT_LIST_DIR}/../boards" ABSOLUTE)
if(NOT TO)
  set(TO "${folder}/presets.json")
endif()

file(GLOB files "${folder}/*.cmake")
foreach(file IN LISTS files)
  get_filename_component(board "${file}" NAME_WE)
  # What the board is called: the first words of a comment in its first line.
  set(title "${board}")
  file(STRINGS "${file}" line LIMIT_COUNT 1)
  if(line MATCHES "^# *([^:( ][^:(]*)")
    string(STRIP "${CMAKE_MATCH_1}" title)
  endif()
  string(REPLACE "\\" "\\\\" title "${title}")
  string(REPLACE "\"" "\\\"" title "${title}")
  string(CONFIGURE [[,
    {"name": "@board@", "inherits": "board", "displayName": "@title@"}]] entry)
  string(APPEND configure "${entry}")
  string(CONFIGURE [[,
    {"name": "@board@", "inherits": "board", "configurePreset": "@board@"},
    {"name": "@board@-test", "inherits": "board-test", "configurePreset": "@board@"}]]
    entry @ONLY)
  string(APPEND build "${entry}")
  foreach(name IN ITEMS "${board}" "${board}-test")
    string(CONFIGURE [[,
    {"name": "@name@", "steps": [{"type": "configure", "name": "@board@"}, {"type": "build", "name": "@name@"}]}]]
      entry @ONLY)
    string(APPEND workflow "${entry}")
  endforeach()
endforeach()
string(SUBSTRING "${workflow}" 1 -1 workflow)

file(CONFIGURE OUTPUT "${TO}" @ONLY CONTENT [[{
  "version": 6,
  "configurePresets": [
    {
      "name": "base",
      "hidden": true,
      "generator": "Ninja",
      "binaryDir": "${sourceDir}/build/${presetName}",
      "cacheVariables": { "LATIMER_WERROR": "ON" }
    },
    {
      "name": "board",
      "hidden": true,
      "inherits": "base",
      "toolchainFile": "${fileDir}/${presetName}.cmake",
      "cacheVariables": { "CMAKE_BUILD_TYPE": "Release", "LATIMER_CONVERTER": "ON" }
    }@configure@
  ],
  "buildPresets": [
    { "name": "board", "hidden": true, "targets": [ "products" ] },
    { "name": "board-test", "hidden": true, "targets": [ "all", "check" ] }@build@
  ],
  "workflowPresets": [@workflow@
  ]
}
]])
