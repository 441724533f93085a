import { useSignal } from "@preact/signals"
import type { AskingProgram } from "../../src/people/programs/Api.ts"
import { isNotFound, Refused } from "../client.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { LetIn } from "../parts/LetIn.tsx"
import type { Decision } from "../parts/LetIn.tsx"
import { Part } from "../parts/states.tsx"
import { Fact, Facts, PageHead, When } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.consent

/** The page on which a person lets a program use the tools of `/mcp`. It asks each time: who a program is can't be known. */
export const Consent = () => {
  const { route, session } = useApp()
  const request = route().query.get("request") ?? ""
  return (
    <>
      <PageHead title={text.title} />
      <div class="device">
        {session.person === true ? (
          <Asking key={request} request={request} />
        ) : (
          <p class="note warn">{text.notPerson}</p>
        )}
      </div>
    </>
  )
}

const Asking = ({ request }: { readonly request: string }) => {
  const { client } = useApp()
  const decided = useSignal<boolean | undefined>(undefined)
  const program = useData(() =>
    client
      .console(({ devices }) => devices.showRequest({ payload: { request } }))
      .catch((error: unknown) => {
        // A request that is over, or was changed, is not asked for again.
        if (isNotFound(error) || (error instanceof Refused && error.status === 400)) return null
        throw error
      })
  )
  const decide = async (decision: Decision) => {
    const { approved, location: to } = await client.console(({ devices }) =>
      devices.decideRequest({ payload: { request, ...decision } })
    )
    decided.value = approved
    location.assign(to)
  }
  if (decided.value !== undefined) return <Decided isApproved={decided.value} />
  return (
    <Part of={program} what={text.program}>
      {(asking) =>
        asking === null ? (
          <p class="note warn" role="alert">
            {text.over}
          </p>
        ) : (
          <LetIn decide={decide}>
            <Program of={asking} />
          </LetIn>
        )
      }
    </Part>
  )
}

const Program = ({ of }: { readonly of: AskingProgram }) => (
  <>
    <p>{text.about(of.program || text.unnamed, of.host)}</p>
    <p>{text.compare}</p>
    {of.own_computer && <p class="note warn">{text.ownComputer}</p>}
    <Facts>
      <Fact name={text.program}>{of.program || text.unnamed}</Fact>
      <Fact name={text.host}>{of.host}</Fact>
      <Fact name={text.ends}>
        <When at={of.expires_at} />
      </Fact>
      <Fact name={text.gets} isWide>
        {text.tools}
      </Fact>
    </Facts>
  </>
)

const Decided = ({ isApproved }: { readonly isApproved: boolean }) => (
  <div role="status">
    <h2>{isApproved ? text.approved : text.denied}</h2>
    <p class="quiet">{text.goOn}</p>
  </div>
)
