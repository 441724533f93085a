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
  return wavRate(bytes) ?? mp3Rate(bytes) ?? nominalRate(/^audio\/(?:x-)?(\w+)/.exec(contentType)?.[1] ?? "")
}

/** A WAV says it in its header. */
const wavRate = (bytes: Buffer): number | undefined => {
  if (bytes.length < 32 || bytes.toString("latin1", 0, 4) !== "RIFF") return undefined
  const rate = bytes.readUInt32LE(28)
  return rate >= 1_000 && rate <= 2_000_000 ? rate : undefined
}

/** In kbit/s by the index of a frame's header, of layer III of MPEG 1, and of MPEG 2 and 2.5. */
const bitRates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
] as const

/** The bit rate of the first frame of an MP3, behind its tags. */
const mp3Rate = (bytes: Buffer): number | undefined => {
  const isTagged = bytes.length > 10 && bytes.toString("latin1", 0, 3) === "ID3"
  const size = (at: number) => (bytes[at] ?? 0) & 127
  const at = isTagged ? 10 + ((size(6) << 21) | (size(7) << 14) | (size(8) << 7) | size(9)) : 0
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
  // A frame's sync word, and layer III.
  if (first !== 255 || (second & 224) !== 224 || (second & 6) !== 2) return undefined
  const rate = bitRates[(second & 24) === 24 ? 0 : 1][third >> 4] ?? 0
  return rate === 0 ? undefined : rate * 125
}
