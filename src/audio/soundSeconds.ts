import { mp3Frame } from "../contract/bodies/mp3Frame.ts"
import type { UploadedFile } from "../contract/bodies/UploadedFile.ts"

/** The bytes of a file in which its length is looked for: its first and its last ones. */
const looked = 262_144

/** Bytes of a second: the least of a file whose length can't be read (8 kbit/s), and the most of a compressed one. */
const rates = { least: 1_000, most: 40_000 }

/** The seconds of a file of sound: by its header, within what its bytes allow, else the most that they can be. */
export const soundSeconds = async (file: UploadedFile): Promise<number> => {
  const { head, tail } = await endsOf(file)
  const told =
    wav(head, file.bytes) ?? flac(head, file.bytes) ?? ogg(head, tail) ?? mp4(head, tail) ?? mp3(head, file.bytes)
  const least = file.bytes / (isPlain(head) ? mostPlain : rates.most)
  const seconds = told === undefined || !Number.isFinite(told) ? file.bytes / rates.least : Math.max(told, least)
  return Math.max(1, Math.min(mostSeconds, Math.ceil(seconds)))
}

/** A day. */
const mostSeconds = 86_400
/** Eight channels of 192,000 samples of four bytes. */
const mostPlain = 6_144_000

const endsOf = async (file: UploadedFile): Promise<{ readonly head: Buffer; readonly tail: Buffer }> => {
  const read = file.open()
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  for (let chunk = await read(); chunk !== undefined; chunk = await read()) {
    if (head.length < looked) head = Buffer.concat([head, chunk]).subarray(0, looked)
    tail = Buffer.concat([tail, chunk]).subarray(-looked)
  }
  return { head, tail }
}

const nameAt = (bytes: Buffer, at: number): string => bytes.toString("latin1", at, at + 4)
const isPlain = (head: Buffer): boolean => nameAt(head, 0) === "RIFF" || nameAt(head, 0) === "fLaC"

/** Samples as they are; of other codings in a WAV nothing is known. Its header may lie of its length, not of its rate. */
const wav = (head: Buffer, bytes: number): number | undefined => {
  const at = nameAt(head, 0) === "RIFF" ? head.indexOf("fmt ", 12, "latin1") : -1
  if (at === -1 || at + 24 > head.length || ![1, 3, 65_534].includes(head.readUInt16LE(at + 8))) return undefined
  const [channels, samples, bits] = [head.readUInt16LE(at + 10), head.readUInt32LE(at + 12), head.readUInt16LE(at + 22)]
  return bytes / ((channels * samples * bits) / 8)
}

/** By the count of frames in a tag of its first frame, else by that frame's bit rate. */
const mp3 = (head: Buffer, bytes: number): number | undefined => {
  const first = mp3Frame(head)
  if (first === undefined) return undefined
  const { at, bitRate, sampleRate, samples } = first
  const tag = Math.max(head.indexOf("Xing", at, "latin1"), head.indexOf("Info", at, "latin1"))
  const hasCount = tag !== -1 && tag < at + 64 && tag + 12 <= head.length && (head.readUInt32BE(tag + 4) & 1) === 1
  return hasCount ? (head.readUInt32BE(tag + 8) * samples) / sampleRate : (bytes * 8) / bitRate
}

const flac = (head: Buffer, bytes: number): number | undefined => {
  if (nameAt(head, 0) !== "fLaC" || head.length < 26) return undefined
  const rate = head.readUIntBE(18, 3) >> 4
  const samples = (head.readUInt8(21) & 15) * 2 ** 32 + head.readUInt32BE(22)
  // Unknown where it is 0: half of the samples' bytes is usual.
  return samples > 0 ? samples / rate : bytes / rate
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
