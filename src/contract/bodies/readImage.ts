/** An image's type and size in pixels. */
export interface ImageInfo {
  readonly type: "PNG" | "JPEG" | "GIF" | "WebP"
  readonly width: number
  readonly height: number
}

/** Reads an image's header; undefined for anything but PNG, JPEG, GIF and WebP. */
export const readImage = (bytes: Uint8Array): ImageInfo | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view)
  } catch {
    // Truncated before the size.
    return undefined
  }
}

const readPng = (view: DataView): ImageInfo | undefined =>
  view.byteLength >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a
    ? { type: "PNG", width: view.getUint32(16), height: view.getUint32(20) }
    : undefined

const readGif = (view: DataView): ImageInfo | undefined =>
  view.byteLength >= 10 && view.getUint32(0) === 0x47494638
    ? { type: "GIF", width: view.getUint16(6, true), height: view.getUint16(8, true) }
    : undefined

/** RIFF with one of three chunks: lossy, lossless or extended. */
const readWebp = (view: DataView): ImageInfo | undefined => {
  if (view.byteLength < 16 || view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined
  switch (view.getUint32(12)) {
    case 0x56503820:
      return { type: "WebP", width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 0x5650384c: {
      const bits = view.getUint32(21, true)
      return { type: "WebP", width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 0x56503858:
      return { type: "WebP", width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
    default:
      return undefined
  }
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

/** Skips segments up to the start of a frame, which holds the size. */
const readJpeg = (view: DataView): ImageInfo | undefined => {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  let at = 2
  for (;;) {
    const marker = view.getUint16(at)
    if (marker >> 8 !== 0xff) return undefined
    if (marker === 0xffff) {
      at++
      continue
    }
    // C4, C8 and CC are tables between the frame markers.
    if (marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc) {
      return { type: "JPEG", width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    at += 2 + view.getUint16(at + 2)
  }
}
