import type { BadSettings } from "./document.ts"
import { isLoopback } from "./loopback.ts"
import type { GatewaySettings, LoadedFile } from "./Settings.ts"

/**
 * The error of a sign-in without a safe address: providers send browsers back to the public address, where others on the
 * way must not read the code. Loopback is this machine's own.
 */
export const signInProblem = (
  file: Pick<LoadedFile, "value" | "complain">,
  { host, publicUrl }: Pick<GatewaySettings["server"], "host" | "publicUrl">
): BadSettings | undefined => {
  if (file.value.sign_in?.oidc === undefined) return undefined
  const url = publicUrl._tag === "Some" ? publicUrl.value : `http://${host.includes(":") ? `[${host}]` : host}`
  if (/^https:/i.test(url) || isLoopback(url)) return undefined
  return file.complain(
    ["sign_in"],
    "sign_in: needs an https:// address in server.public_url, which browsers come back to"
  )
}
