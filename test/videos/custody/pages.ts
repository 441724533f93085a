import { ours } from "./world.ts"

export const link = new RegExp(`^${ours}/files/([\\w-]{43})/([\\w.]+)$`)
