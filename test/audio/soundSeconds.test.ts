import { expect, it } from "@effect/vitest"
import { soundSeconds } from "../../src/audio/soundSeconds.ts"
import { UploadedFile } from "../../src/contract/bodies/UploadedFile.ts"
import { wavHeader } from "../../src/sandbox/wav.ts"

const fileOf = (content: Buffer) =>
  new UploadedFile({
    name: "a",
    mediaType: "",
    bytes: content.length,
    sha256: "",
    open: () => {
      let at = 0
      return () => {
        const chunk = content.subarray(at, at + 1_000)
        at += chunk.length
        return Promise.resolve(chunk.length === 0 ? undefined : chunk)
      }
    }
  })
const filled = (length: number, ...begins: ReadonlyArray<string | ReadonlyArray<number> | Uint8Array>) => {
  const begin = Buffer.concat(
    begins.map((one) => (typeof one === "string" ? Buffer.from(one, "latin1") : Buffer.from(one)))
  )
  return Buffer.concat([begin, Buffer.alloc(Math.max(0, length - begin.length))])
}
const bytesOf = (...numbers: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [index, one] of numbers.entries()) bytes.writeUInt32BE(one, 4 * index)
  return bytes
}
const page = (position: number) => {
  const bytes = Buffer.alloc(28)
  bytes.write("OggS", "latin1")
  bytes.writeBigUInt64LE(BigInt(position), 6)
  return bytes
}

/** Frames of 128 kbit/s, and of 32: 417 and 104 bytes, 26 ms each. */
const frames = (count: number) => Buffer.concat(Array.from({ length: count }, () => filled(417, [255, 251, 144, 0])))
const slowFrames = (count: number) => Buffer.concat(Array.from({ length: count }, () => filled(104, [255, 251, 16, 0])))
const tags = Buffer.concat([Buffer.from("ID3"), Buffer.from([4, 0, 0, 0, 24, 0, 0]), Buffer.alloc(24 * 16_384)])

it.each([
  ["a WAV, whatever its header says of its length", filled(96_044, wavHeader(10)), 3],
  ["an MP3 by its frames", frames(115), 4],
  ["an MP3 with tags and a picture in them", Buffer.concat([tags, frames(115)]), 4],
  ["an MP3 of several bit rates", Buffer.concat([frames(1), slowFrames(1_000)]), 27],
  [
    "an MP3 that counts too few frames",
    Buffer.concat([filled(417, [255, 251, 144, 0], Buffer.alloc(32), "Xing", bytesOf(1, 1)), slowFrames(1_000)]),
    27
  ],
  ["an MP3 with other bytes among its frames", Buffer.concat([frames(2), Buffer.alloc(80_000, 255), frames(113)]), 6],
  ["a text that begins as an MP3 with tags", filled(9_000, "ID3", [4, 0, 0, 0, 0, 0, 20], "text"), 9],
  ["a FLAC", filled(50_000, "fLaC", Buffer.alloc(14), [10, 196, 66, 240], bytesOf(441_000)), 10],
  [
    "a FLAC that counts too few samples",
    filled(1_764_000, "fLaC", Buffer.alloc(14), [10, 196, 66, 240], bytesOf(1)),
    10
  ],
  ["an Ogg by its last page", Buffer.concat([page(0), Buffer.alloc(9_000), page(240_000)]), 5],
  ["an MP4", filled(9_000, bytesOf(8), "ftyp", Buffer.alloc(8), "mvhd", bytesOf(0, 0, 0, 1_000, 7_500)), 8],
  ["an MP4 whose header says too little", filled(400_000, bytesOf(8), "ftyp", "mvhd", bytesOf(0, 0, 0, 1_000, 1)), 10],
  ["an MP4 whose header says nothing", filled(400_000, bytesOf(8), "ftyp", "mvhd", bytesOf(0, 0, 0, 1_000, 0)), 10],
  ["anything else by its bytes", filled(9_000, "anything"), 9],
  ["a header that is cut short", filled(12, "RIFF____WAVE"), 1],
  ["a rate of zero", filled(9_000, "RIFF____WAVEfmt ", Buffer.alloc(4), [1, 0]), 9]
])("finds the seconds of %s", async (_, content, seconds) => {
  expect(await soundSeconds(fileOf(content))).toBe(seconds)
})
