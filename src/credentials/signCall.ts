import { SignatureV4 } from "@smithy/signature-v4"
import type { AwsCredentialIdentity } from "@smithy/types"
import type { CallToSign } from "./Auth.ts"
import { Sha256 } from "./sha256.ts"

/** The service that a call goes to, in AWS's terms. */
export interface AwsTarget {
  readonly service: string
  readonly region: string
}

/**
 * The headers of a call signed by AWS's Signature Version 4. The path in the address is encoded once; it is encoded again
 * for the signature, as all services but S3 want it.
 */
export const signCall = async (
  { body, headers, method, url }: CallToSign,
  credentials: AwsCredentialIdentity,
  { region, service }: AwsTarget,
  nowMs: number
): Promise<Readonly<Record<string, string>>> => {
  const { host, hostname, pathname, protocol, searchParams } = new URL(url)
  const type = headers["content-type"] ?? (body === undefined ? undefined : "application/json")
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false })
  const { headers: all } = await signer.sign(
    {
      method,
      protocol,
      hostname,
      path: pathname,
      query: Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)])),
      headers: { host, ...(type !== undefined && { "content-type": type }) },
      ...(body !== undefined && { body })
    },
    { signingDate: new Date(nowMs) }
  )
  const { host: _, ...signature } = all
  return signature
}
