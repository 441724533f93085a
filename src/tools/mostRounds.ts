/** The most rounds of an answer. */
export const mostRounds = 20
