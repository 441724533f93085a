const containers = new Set(["moov", "trak", "mdia"])
const stamped = new Set(["mvhd", "tkhd", "mdhd"])

/**
 * Clears the creation times in an MP4's headers, in place, so that the same pictures give the same bytes. (ISO
 * 14496-12: in version 0 of these boxes, creation and modification time follow version and flags.)
 */
export const withoutTimes = (mp4: Uint8Array): Uint8Array => {
  clear(new DataView(mp4.buffer, mp4.byteOffset, mp4.byteLength), 0, mp4.byteLength)
  return mp4
}

const clear = (view: DataView, from: number, to: number) => {
  let at = from
  while (at + 8 <= to) {
    const size = view.getUint32(at)
    const type = String.fromCharCode(
      view.getUint8(at + 4),
      view.getUint8(at + 5),
      view.getUint8(at + 6),
      view.getUint8(at + 7)
    )
    if (containers.has(type)) clear(view, at + 8, at + size)
    if (stamped.has(type) && view.getUint8(at + 8) === 0) {
      view.setUint32(at + 12, 0)
      view.setUint32(at + 16, 0)
    }
    // Sizes 0 (to the end) and 1 (stored elsewhere) do not occur before or inside `moov`.
    if (size < 8) return
    at += size
  }
}
