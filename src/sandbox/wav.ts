/** 24,000 samples a second, of two bytes, as OpenAI's are. */
const sampleRate = 24_000
const sampleBytes = 2
const loudness = 8_000
/** Each tone rises and falls in so many samples, so that none clicks. */
const ramp = 240

/** The header of a WAV with so many bytes of samples. */
export const wavHeader = (bytes: number): Uint8Array => {
  const header = Buffer.alloc(44)
  header.write("RIFF", 0, "latin1")
  header.writeUInt32LE(36 + bytes, 4)
  header.write("WAVEfmt ", 8, "latin1")
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * sampleBytes, 28)
  header.writeUInt16LE(sampleBytes, 32)
  header.writeUInt16LE(8 * sampleBytes, 34)
  header.write("data", 36, "latin1")
  header.writeUInt32LE(bytes, 40)
  return header
}

/** A tone whose pitch is the word's, from 200 to 800 Hz. */
export const toneOf = (word: string, seconds: number): Uint8Array => {
  let hash = 0
  for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 601
  const samples = Math.round(seconds * sampleRate)
  const bytes = Buffer.alloc(samples * sampleBytes)
  const step = (2 * Math.PI * (200 + hash)) / sampleRate
  for (let index = 0; index < samples; index++) {
    const share = Math.min(1, index / ramp, (samples - index) / ramp)
    bytes.writeInt16LE(Math.round(loudness * share * Math.sin(step * index)), index * sampleBytes)
  }
  return bytes
}
