import type { ComponentChildren } from "preact"
import { useApp } from "../hooks/useApp.ts"
import { pagesOf } from "../pageNames.ts"
import type { PageName } from "../pageNames.ts"
import { hrefOf } from "../router.ts"

interface PageLinkProps {
  readonly page: PageName
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly look?: string
  /** Without the page, there is no text either. */
  readonly isButton?: boolean
  readonly children: ComponentChildren
}

/** A link to a page that the session's role reaches; for others, its text alone. */
export const PageLink = ({ children, id, isButton = false, look, page, query }: PageLinkProps) => {
  const { session } = useApp()
  if (!pagesOf(session).includes(page)) return isButton ? null : <>{children}</>
  return (
    <a class={isButton ? "button" : look} href={hrefOf(page, id, query)}>
      {children}
    </a>
  )
}
