/** A frame of an MP3. */
export interface Mp3Frame {
  /** In bit/s. */
  readonly bitRate: number
  readonly seconds: number
  /** With its header. */
  readonly bytes: number
}

/** In kbit/s by the index of a frame's header, of layer III of MPEG 1, and of MPEG 2 and 2.5. */
const bitRates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
] as const
const sampleRates = [44_100, 48_000, 32_000] as const

/** The first frame of bytes that begin as an MP3 does, behind its tags; undefined if there is none. */
export const mp3Frame = (bytes: Buffer): Mp3Frame | undefined => mp3FrameAt(bytes, tagBytes(bytes))

/** The bytes of the tags (ID3) in front of the first frame. */
export const tagBytes = (bytes: Buffer): number => {
  if (bytes.length <= 10 || bytes.toString("latin1", 0, 3) !== "ID3") return 0
  const size = (at: number) => (bytes[at] ?? 0) & 127
  return 10 + ((size(6) << 21) | (size(7) << 14) | (size(8) << 7) | size(9))
}

/** The frame whose header stands there; undefined if it is none. */
export const mp3FrameAt = (bytes: Buffer, at: number): Mp3Frame | undefined => {
  const [first = 0, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]]
  // A frame's sync word, and layer III.
  if (first !== 255 || (second & 224) !== 224 || (second & 6) !== 2) return undefined
  const version = (second & 24) >> 3
  const isFirst = version === 3
  const kbits = bitRates[isFirst ? 0 : 1][third >> 4] ?? 0
  const rate = sampleRates[(third >> 2) & 3]
  if (kbits === 0 || rate === undefined || version === 1) return undefined
  const seconds = (isFirst ? 1_152 : 576) / (rate / (isFirst ? 1 : version === 2 ? 2 : 4))
  const bitRate = kbits * 1_000
  const isPadded = (third & 2) === 2
  return { bitRate, seconds, bytes: Math.floor((bitRate * seconds) / 8 + 1e-6) + (isPadded ? 1 : 0) }
}
