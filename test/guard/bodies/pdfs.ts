import { constants, deflateRawSync, deflateSync } from "node:zlib"

const megabyte = 1_048_576

/** A PDF of these pages' content streams; `filter` is what unpacks each. */
const pdfOf = (pages: ReadonlyArray<Uint8Array>, filter = ""): Uint8Array => {
  const parts: Array<Uint8Array> = []
  const offsets: Array<number> = []
  let at = 0
  const write = (bytes: Uint8Array | string) => {
    const part = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes
    parts.push(part)
    at += part.length
  }
  const object = (...body: ReadonlyArray<Uint8Array | string>) => {
    offsets.push(at)
    write(`${offsets.length} 0 obj\n`)
    for (const part of body) write(part)
    write("\nendobj\n")
  }
  write("%PDF-1.4\n")
  const kids = pages.map((_, page) => `${4 + 2 * page} 0 R`).join(" ")
  object("<< /Type /Catalog /Pages 2 0 R >>")
  object(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`)
  object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
  for (const [page, content] of pages.entries()) {
    const resources = "/Resources << /Font << /F1 3 0 R >> >>"
    object(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${5 + 2 * page} 0 R >>`)
    object(`<< /Length ${content.length} ${filter} >>\nstream\n`, content, "\nendstream")
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const start = at
  write(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}`)
  write(`trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`)
  return Buffer.concat(parts)
}

const showing = (text: string) => Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`)

/** Pages that show a line of text each. */
export const pagesOfText = (pages: ReadonlyArray<string>): Uint8Array => pdfOf(pages.map(showing))

/** As zlib would pack so many megabytes of spaces, made of one that is repeated. */
const packedSpaces = (megabytes: number): Uint8Array => {
  const one = deflateRawSync(Buffer.alloc(megabyte, " "), { finishFlush: constants.Z_FULL_FLUSH })
  const last = deflateRawSync(Buffer.alloc(0))
  return Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array.from({ length: megabytes }, () => one),
    last,
    Buffer.alloc(4)
  ])
}

/** A few kilobytes that unpack, twice, to so many megabytes of spaces. */
export const flateBomb = (megabytes: number): Uint8Array =>
  pdfOf([deflateSync(packedSpaces(megabytes), { level: 9 })], "/Filter [/FlateDecode /FlateDecode]")

/** One page that shows a text so many times: a few kilobytes. */
export const manyShows = (times: number): Uint8Array =>
  pdfOf([deflateSync(`BT /F1 12 Tf ${"(ab) Tj ".repeat(times)} ET`, { level: 9 })], "/Filter /FlateDecode")

/** One page of text that is not packed at all, all of it in one place: what lies outside of the page is not read. */
export const plainText = (megabytes: number): Uint8Array =>
  pdfOf([
    Buffer.from(
      `BT /F1 12 Tf ${"1 0 0 1 72 720 Tm (Here are forty characters of plain text) Tj ".repeat((megabytes * megabyte) / 63)} ET`
    )
  ])
