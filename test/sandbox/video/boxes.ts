/** What an MP4 says of itself in its boxes (ISO 14496-12). */
export interface Mp4 {
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly frames: number
  readonly codec: string
  readonly brand: string
}

export const readMp4 = (bytes: Uint8Array): Mp4 => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const box = (path: string): { at: number; size: number } => {
    let from = 0
    let to = bytes.byteLength
    for (const type of path.split("/")) {
      let at = from
      while (at + 8 <= to && text(at + 4) !== type) at += view.getUint32(at)
      if (at + 8 > to) throw new Error(`no box ${path}`)
      from = at + 8
      to = at + view.getUint32(at)
    }
    return { at: from, size: to - from }
  }
  const text = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  const header = box("moov/trak/mdia/mdhd").at
  const sizes = box("moov/trak/tkhd")
  const samples = box("moov/trak/mdia/minf/stbl/stsz").at
  return {
    brand: text(box("ftyp").at),
    // Width and height are the last two words, in 16.16.
    width: view.getUint16(sizes.at + sizes.size - 8),
    height: view.getUint16(sizes.at + sizes.size - 4),
    seconds: view.getUint32(header + 16) / view.getUint32(header + 12),
    frames: view.getUint32(samples + 8),
    codec: text(box("moov/trak/mdia/minf/stbl/stsd").at + 12)
  }
}
