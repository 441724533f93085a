/** The most that a request has together with what it goes on from or refers to: as much as a body may bring. */
export const mostConversationBytes = 32 * 1_048_576
