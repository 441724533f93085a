import type { ComponentChildren } from "preact"

/** A part of a page between hairlines: its name, and its actions at the right. */
export const Block = ({
  actions,
  children,
  title
}: {
  readonly title: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="block">
    <header>
      <h2>{title}</h2>
      <span class="grow" />
      {actions}
    </header>
    {children}
  </section>
)
