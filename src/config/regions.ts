import type { Located } from "./document.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { isPlaced, rowOf } from "./providers/surfaces.ts"
import type { Environment } from "./secretVariable.ts"

/** Fills in AWS's region, which its own programs read from the environment, for providers with it in their addresses. */
export const withRegions = (file: Located<GatewayFile>, env: Environment): Located<GatewayFile> => {
  const { upstreams } = file.value
  const region = [env["AWS_REGION"], env["AWS_DEFAULT_REGION"]].find((value) => (value ?? "") !== "")
  if (upstreams === undefined || region === undefined) return file
  const filled = Object.entries(upstreams).map(([name, entry]) => {
    const row = rowOf(entry)
    const isAws = row?.places?.region === "AWS_REGION" && isPlaced(row, "region")
    return [name, isAws && entry.region === undefined && entry.base_url === undefined ? { ...entry, region } : entry]
  })
  return { ...file, value: { ...file.value, upstreams: Object.fromEntries(filled) } }
}
