import { mp3Frame } from "../../contract/bodies/mp3Frame.ts"
import type { Mp3Frame } from "../../contract/bodies/mp3Frame.ts"

/** Bytes of a second of sound by OpenAI's names of formats, for those whose bytes don't tell it. */
const nominal: Readonly<Record<string, number>> = {
  wav: 48_000,
  pcm: 48_000,
  flac: 24_000,
  mp3: 16_000,
  mpeg: 16_000,
  aac: 8_000,
  opus: 4_000,
  ogg: 4_000
}

/** The usual bytes of a second in a format. */
export const nominalRate = (format: string): number => nominal[format] ?? 16_000

/**
 * The bytes of a second of sound that begins so.
 *
 * @param contentType decides where the bytes don't tell it
 */
export const bytesPerSecond = (beginning: Uint8Array, contentType: string): number => {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength)
  return wavRate(bytes) ?? bytesOf(mp3Frame(bytes)) ?? nominalRate(/^audio\/(?:x-)?(\w+)/.exec(contentType)?.[1] ?? "")
}

/** A WAV says it in its header. */
const wavRate = (bytes: Buffer): number | undefined => {
  if (bytes.length < 32 || bytes.toString("latin1", 0, 4) !== "RIFF") return undefined
  const rate = bytes.readUInt32LE(28)
  return rate >= 1_000 && rate <= 2_000_000 ? rate : undefined
}

const bytesOf = (frame: Mp3Frame | undefined) => frame && frame.bitRate / 8
