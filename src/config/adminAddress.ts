import { Option } from "effect"
import { BadSettings } from "./document.ts"
import type { Located } from "./document.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import type { Variables } from "./variables.ts"

/** Paths of a certificate and its key. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** `server.admin`: an address that alone has the admin API, metrics and the console. */
export interface AdminAddress {
  readonly host: string
  readonly port: number
  /** The address as browsers reach it; by default the listening address. */
  readonly publicUrl: Option.Option<string>
  readonly tls: Option.Option<TlsFiles>
}

/** @param beside resolves a path relative to the configuration file */
export const tlsFiles = (tls: TlsFiles | undefined, beside: (named: string) => string): Option.Option<TlsFiles> =>
  Option.map(Option.fromNullable(tls), ({ cert, key }) => ({ cert: beside(cert), key: beside(key) }))

/** The operators' address, if the file or a variable has one. */
export const adminAddress = (
  { GATEWAY_ADMIN_HOST, GATEWAY_ADMIN_PORT, GATEWAY_ADMIN_PUBLIC_URL }: Variables,
  admin: NonNullable<GatewayFile["server"]>["admin"],
  beside: (named: string) => string
): Option.Option<AdminAddress> =>
  admin === undefined && (GATEWAY_ADMIN_HOST ?? GATEWAY_ADMIN_PORT ?? GATEWAY_ADMIN_PUBLIC_URL) === undefined
    ? Option.none()
    : Option.some({
        host: GATEWAY_ADMIN_HOST ?? admin?.host ?? "127.0.0.1",
        port: GATEWAY_ADMIN_PORT ?? admin?.port ?? 8081,
        publicUrl: Option.fromNullable(GATEWAY_ADMIN_PUBLIC_URL ?? admin?.public_url),
        tls: tlsFiles(admin?.tls, beside)
      })

/**
 * Both addresses need ports of their own, whatever their hosts are: workers share ports, and the kernel would give each address
 * some of the other's connections.
 */
export const samePortProblem = ({
  admin,
  file,
  port,
  variables
}: {
  readonly port: number
  readonly admin: Pick<AdminAddress, "port">
  readonly variables: Variables
  readonly file: Located<GatewayFile>
}): Option.Option<BadSettings> => {
  if (admin.port !== port || port === 0) return Option.none()
  const rule = `${port} is the port of the public address (server.port): operators need another`
  return Option.some(
    variables.GATEWAY_ADMIN_PORT === undefined && file.value.server?.admin !== undefined
      ? file.complain(["server", "admin", "port"], `server.admin.port: ${rule}`)
      : new BadSettings({ message: `GATEWAY_ADMIN_PORT: ${rule}` })
  )
}
