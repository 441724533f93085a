import { Option } from "effect"
import type { AdminAddress } from "../config/adminAddress.ts"
import type { GatewaySettings } from "../config/Settings.ts"
import { withoutSlash } from "../config/withoutSlash.ts"

type Server = GatewaySettings["server"]
type Listening = Pick<AdminAddress, "host" | "port" | "tls">

const schemeOf = ({ tls }: Listening): string => (Option.isSome(tls) ? "https" : "http")

/** The address of the gateway that serves on this machine. */
export const ownAddress = (listening: Listening): string => {
  const { host, port } = listening
  const bare = host.replace(/^\[|\]$/g, "")
  const named = /^(0\.0\.0\.0|::)$/.test(bare) ? "127.0.0.1" : bare.includes(":") ? `[${bare}]` : bare
  return `${schemeOf(listening)}://${named}:${port}`
}

/** The settings of the address that has the admin API and the console. */
export const adminServer = (server: Server): AdminAddress => Option.getOrElse(server.admin, () => server)

/** The address of the admin API for the commands on this machine. */
export const ownAdminAddress = (server: Server): string => ownAddress(adminServer(server))

/** An address as the gateway's links have it. */
export const linkedAddress = (server: AdminAddress): string =>
  withoutSlash(Option.getOrElse(server.publicUrl, () => `${schemeOf(server)}://${server.host}:${server.port}`))

/** Its certificate names its public address, not the one that it listens on. */
export const ownCertificate: RequestInit & { readonly tls: object } = { tls: { rejectUnauthorized: false } }
