import type { UploadedFile } from "../contract/bodies/UploadedFile.ts"
import { Mp3Frames } from "./Mp3Frames.ts"

/** The bytes of a file in which its length is looked for: its first and its last ones. */
const looked = 262_144

/** Bytes of a second: the least of a file whose length can't be read (8 kbit/s), and the most of a compressed one. */
const rates = { least: 1_000, most: 40_000 }

/** The seconds of a file of sound: as its bytes are, else as its header says within what they allow, else the most that they can be. */
export const soundSeconds = async (file: UploadedFile): Promise<number> => {
  const { bytes } = file
  const { frames, head, tail } = await partsOf(file)
  const least = (told: number | undefined) => (told === undefined ? told : Math.max(told, bytes / rates.most))
  const found = wav(head, bytes) ?? flac(head, bytes) ?? mp3(frames) ?? least(ogg(head, tail) ?? mp4(head, tail))
  const seconds = found !== undefined && Number.isFinite(found) ? found : bytes / rates.least
  return Math.max(1, Math.min(mostSeconds, Math.ceil(seconds)))
}

/** A day. */
const mostSeconds = 86_400
/** Bytes of a second of a WAV: eight channels of 192,000 samples of four bytes. */
const mostPlain = 6_144_000

const partsOf = async (file: UploadedFile) => {
  const read = file.open()
  const frames = new Mp3Frames()
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  for (let chunk = await read(); chunk !== undefined; chunk = await read()) {
    if (head.length < looked) head = Buffer.concat([head, chunk]).subarray(0, looked)
    tail = Buffer.concat([tail, chunk]).subarray(-looked)
    frames.push(chunk)
  }
  return { frames, head, tail }
}

const nameAt = (bytes: Buffer, at: number): string => bytes.toString("latin1", at, at + 4)

/** Samples as they are; of other codings in a WAV nothing is known. Its header may lie of its length, not of its rate. */
const wav = (head: Buffer, bytes: number): number | undefined => {
  const at = nameAt(head, 0) === "RIFF" ? head.indexOf("fmt ", 12, "latin1") : -1
  if (at === -1 || at + 24 > head.length || ![1, 3, 65_534].includes(head.readUInt16LE(at + 8))) return undefined
  const [channels, samples, bits] = [head.readUInt16LE(at + 10), head.readUInt32LE(at + 12), head.readUInt16LE(at + 22)]
  return bytes / Math.min(mostPlain, (channels * samples * bits) / 8)
}

/** Bytes outside of frames may be sound that only others read. */
const mp3 = ({ others, seconds }: Mp3Frames): number | undefined =>
  seconds === undefined ? undefined : seconds + others / rates.most

/** By its count of samples, which are at most compressed: the count may be a lie. */
const flac = (head: Buffer, bytes: number): number | undefined => {
  if (nameAt(head, 0) !== "fLaC" || head.length < 26) return undefined
  const rate = head.readUIntBE(18, 3) >> 4
  const [channels, bits] = [((head.readUInt8(20) >> 1) & 7) + 1, ((head.readUInt16BE(20) >> 4) & 31) + 1]
  const samples = (head.readUInt8(21) & 15) * 2 ** 32 + head.readUInt32BE(22)
  const plain = bytes / ((rate * channels * bits) / 8)
  // Unknown where it is 0: half of the samples' bytes is usual.
  return samples > 0 ? Math.max(samples / rate, plain) : 2 * plain
}

/** By the last page's position: of Opus always 48,000 a second, of Vorbis the rate in its first page. */
const ogg = (head: Buffer, tail: Buffer): number | undefined => {
  const page = tail.lastIndexOf(Buffer.from("OggS"))
  if (nameAt(head, 0) !== "OggS" || page === -1 || page + 14 > tail.length) return undefined
  const position = Number(tail.readBigUInt64LE(page + 6))
  const vorbis = head.indexOf("\u0001vorbis", 0, "latin1")
  return position / (vorbis === -1 || vorbis + 16 > head.length ? 48_000 : head.readUInt32LE(vorbis + 12))
}

/** By the header of the film, at the beginning or at the end. */
const mp4 = (head: Buffer, tail: Buffer): number | undefined => {
  if (nameAt(head, 4) !== "ftyp") return undefined
  for (const bytes of [head, tail]) {
    const at = bytes.indexOf("mvhd", 0, "latin1")
    if (at === -1 || at + 36 > bytes.length) continue
    return bytes.readUInt8(at + 4) === 1
      ? Number(bytes.readBigUInt64BE(at + 28)) / bytes.readUInt32BE(at + 24)
      : bytes.readUInt32BE(at + 20) / bytes.readUInt32BE(at + 16)
  }
  return undefined
}
