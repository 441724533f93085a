import type { AwsCredentialIdentity } from "@smithy/types"
import { awsCredentials } from "./awsCredentials.ts"
import type { AwsSettings } from "./awsCredentials.ts"
import { credentialsFrom } from "./credentialsFrom.ts"
import { makeRenewed } from "./Renewed.ts"
import type { Source } from "./Source.ts"

/**
 * AWS's credentials, renewed ahead of their end.
 *
 * @param offsetMs the known correction of this machine's clock
 */
export const renewedAws = (settings: AwsSettings, source: Source, offsetMs: () => number = () => 0) =>
  makeRenewed<AwsCredentialIdentity>(
    credentialsFrom("AWS", source, async (noting) => {
      const value = await awsCredentials(settings, noting, offsetMs())
      return { value, endsAtMs: value.expiration?.getTime() }
    }),
    offsetMs
  )
