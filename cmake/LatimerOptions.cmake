# latimer_options: how our own C++ is compiled, here and nowhere else.
include_guard()

add_library(latimer_options INTERFACE)
target_compile_features(latimer_options INTERFACE cxx_std_20)
target_compile_options(latimer_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wundef
  -Wimplicit-fallthrough -Wvla -Walloca
  -ffunction-sections -fdata-sections
  -ffp-contract=off)  # The same bits whatever instructions there are.
target_link_options(latimer_options INTERFACE -Wl,--gc-sections)
if(LATIMER_WERROR)
  target_compile_options(latimer_options INTERFACE -Werror)
endif()
if(LATIMER_SANITIZE)
  target_compile_options(latimer_options INTERFACE
    "-fsanitize=${LATIMER_SANITIZE}" -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(latimer_options INTERFACE
    "-fsanitize=${LATIMER_SANITIZE}")
endif()
