export const text = (text: string) => ({ type: "text", text })
export const finished = { type: "finished", reason: "stop", stopSequence: null } as const
