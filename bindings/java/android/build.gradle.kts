// The Android library by Gradle, which calls CMake for each ABI:
//   gradle -p bindings/java/android assembleRelease
plugins { id("com.android.library") version "8.7.3" }

repositories { google() }

android {
  namespace = "dev.latimer"
  compileSdk = 35
  defaultConfig {
    minSdk = 23
    consumerProguardFiles("proguard.txt")
    ndk { abiFilters += listOf("arm64-v8a", "armeabi-v7a", "x86_64") }
    externalNativeBuild {
      cmake {
        targets += "latimer_jni"
        arguments += listOf("-DLATIMER_JAVA=ON", "-DLATIMER_SIGNATURES=OFF", "-DLATIMER_TESTS=OFF")
        arguments += "-DANDROID_STL=c++_static" // Its headers: nothing of it is linked.
      }
    }
  }
  externalNativeBuild {
    cmake {
      path = file("../../../CMakeLists.txt")
      version = "3.25.0+" // Of the SDK or the PATH.
    }
  }
  sourceSets["main"].manifest.srcFile("AndroidManifest.xml")
  sourceSets["main"].java.setSrcDirs(listOf("../src"))
  compileOptions {
    sourceCompatibility = JavaVersion.VERSION_1_8
    targetCompatibility = JavaVersion.VERSION_1_8
  }
}
