import type { conversation } from "../conversations.ts"

export type Asked = Parameters<typeof conversation>[0]
export const signature = "EqQBCkYIBxgCKkDT"
