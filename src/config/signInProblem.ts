import { Option } from "effect"
import type { BadSettings } from "./document.ts"
import { isLoopback } from "./loopback.ts"
import type { AdminAddress } from "./adminAddress.ts"
import type { GatewaySettings, LoadedFile } from "./Settings.ts"

/**
 * The error of a sign-in without a safe address: providers send browsers back to the public address, where others on the
 * way must not read the code. Loopback is this machine's own.
 */
export const signInProblem = (
  file: Pick<LoadedFile, "value" | "complain">,
  server: Pick<GatewaySettings["server"], "host" | "publicUrl" | "admin">
): BadSettings | undefined => {
  if (file.value.sign_in?.oidc === undefined) return undefined
  const unsafe = [
    ...(isSafe(server) ? [] : ["server.public_url"]),
    ...(Option.exists(server.admin, (admin) => !isSafe(admin)) ? ["server.admin.public_url"] : [])
  ]
  const [setting] = unsafe
  return setting === undefined
    ? undefined
    : file.complain(["sign_in"], `sign_in: needs an https:// address in ${setting}, which browsers come back to`)
}

const isSafe = ({ host, publicUrl }: Pick<AdminAddress, "host" | "publicUrl">): boolean => {
  const url = Option.getOrElse(publicUrl, () => `http://${host.includes(":") ? `[${host}]` : host}`)
  return /^https:/i.test(url) || isLoopback(url)
}
