/** The most bytes of a request and the conversation that it continues: the limit of a body. */
export const mostConversationBytes = 32 * 1_048_576
