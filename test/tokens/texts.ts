/** Four hundred long texts of different words, which a tokenizer can't remember. */
export const manyTexts = (): ReadonlyArray<string> =>
  Array.from({ length: 400 }, (_, seed) => {
    let text = ""
    for (let i = 0; text.length < 20_000; i++)
      text += ` ${((i * 7919 + seed * 104_729) % 65_536).toString(36)} and so on`
    return text
  })

/** A megabyte of the same sentence. */
export const longText = "Tokens of a long text are estimated from evenly spread samples; 4096 characters each. ".repeat(
  12_000
)

/** 65,536 letters without a place to split them. */
export const endlessWord = (): string => {
  let word = ""
  for (let i = 0; i < 65_536; i++) word += String.fromCharCode(97 + ((i * i * 7 + i * 3) % 26))
  return word
}
