/** A text of exactly `tokens` tokens: every word with the space before it is one. */
export const exactly = (tokens: number): string => {
  const rounds = Math.floor((tokens - 1) / words.length)
  return `The${round.repeat(rounds)}${after.slice(0, (tokens - 1) % words.length).join("")}`
}

const words = " the quick brown fox walks over a long field and then home again in the warm light of day"
  .split(" ")
  .slice(1)
  .map((word) => ` ${word}`)

/** The words in order, starting after the first. */
const after = [...words.slice(1), ...words.slice(0, 1)]
const round = after.join("")
