/** An answer's file in words, where the dialect has no form for it. */
export const leftOutFile = (mediaType: string, data: string): string => {
  const bytes = Math.floor((data.length * 3) / 4)
  return `[A file of type ${mediaType} and ${bytes} bytes was left out: this API has no form for it in answers.]`
}
