import { dlopen } from "bun:ffi"
import type { FFIFunction } from "bun:ffi"

/** What the C library is called: glibc's and musl's names. */
const names = ["libc.so.6", "libc.so"]

/** Functions of the system's C library; undefined where it is not Linux, or has not all of them. */
export const libc = <const F extends Readonly<Record<string, FFIFunction>>>(functions: F) => {
  if (process.platform !== "linux") return undefined
  for (const name of names) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      continue
    }
  }
  return undefined
}
