/** 100 kB that nothing else has, and that begin as an MP4 does. */
export const clipOf = (name: string): Buffer<ArrayBuffer> => {
  const file = Buffer.alloc(100_000, `the video ${name}; `)
  file.write("\0\0\0\x18ftypisom")
  return file
}
