/** A text of so many tokens: every word of it is one, with the space before it. */
export const exactly = (tokens: number): string => {
  let text = ""
  for (let i = 0; i < tokens; i++) text += i === 0 ? "The" : words[i % words.length]
  return text
}

const words = " the quick brown fox walks over a long field and then home again in the warm light of day"
  .split(" ")
  .slice(1)
  .map((word) => ` ${word}`)
