/** Small files of known content; of images only the bytes that say type and size. */
const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "latin1")] : part)))

const big16 = (value: number) => [value >> 8, value & 255]
const big32 = (value: number) => [...big16(value >>> 16), ...big16(value & 0xffff)]
const little16 = (value: number) => [value & 255, value >> 8]
const little24 = (value: number) => [...little16(value & 0xffff), value >> 16]
const little32 = (value: number) => [...little16(value & 0xffff), ...little16(value >>> 16)]

export const png = (width: number, height: number) =>
  bytes([0x89], "PNG\r\n", [0x1a], "\n", big32(13), "IHDR", big32(width), big32(height), [8, 6, 0, 0, 0])

export const gif = (width: number, height: number) => bytes("GIF89a", little16(width), little16(height), [0, 0, 0])

/** With an EXIF segment and a table before the frame. */
export const jpeg = (width: number, height: number) =>
  bytes(
    [0xff, 0xd8],
    [0xff, 0xe1, ...big16(8), 1, 2, 3, 4, 5, 6],
    [0xff, 0xc4, ...big16(4), 0, 0],
    [0xff, 0xc2, ...big16(17), 8, ...big16(height), ...big16(width), 3]
  )

const webp = (...chunk: ReadonlyArray<string | ReadonlyArray<number>>) =>
  bytes("RIFF", [0, 0, 0, 0], "WEBP", ...chunk, [0, 0, 0, 0])

export const webpLossy = (width: number, height: number) =>
  webp("VP8 ", little32(10), [0, 0, 0, 0x9d, 0x01, 0x2a], little16(width), little16(height))

export const webpLossless = (width: number, height: number) =>
  webp("VP8L", little32(5), [0x2f], little32((width - 1) | ((height - 1) << 14)))

export const webpExtended = (width: number, height: number) =>
  webp("VP8X", little32(10), [0, 0, 0, 0], little24(width - 1), little24(height - 1))

/** A PDF with one line of text on each page. */
export const pdf = (pages: ReadonlyArray<string>): Uint8Array => {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, page) => `${4 + page * 2} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, page) => {
      const content = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + page * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`
      ]
    })
  ]
  let file = "%PDF-1.4\n"
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`
  return bytes(file)
}
