/** The longest video that a model may be said to make, in seconds. */
export const longestVideo = 600
