import type { Read } from "../../src/files/checkFile.ts"

/** What begins as an MP4 does, 64 bytes long. */
export const clip: Uint8Array = Buffer.from("\0\0\0\x18ftypisom".padEnd(64, "x"), "latin1")

/** Gives pieces one after the other; one that is an error breaks off there. */
export const piecesOf = (...pieces: ReadonlyArray<Uint8Array | string | Error>): Read => {
  const left = [...pieces]
  return async () => {
    const next = left.shift()
    if (next instanceof Error) throw next
    return typeof next === "string" ? Buffer.from(next, "latin1") : next
  }
}

/** The clip in pieces of so many bytes, or in as many whole copies where that is 1. */
export const clipIn = (bytes: number): Read =>
  piecesOf(
    ...Array.from({ length: Math.ceil(clip.length / bytes) }, (_, i) => clip.subarray(i * bytes, (i + 1) * bytes))
  )
