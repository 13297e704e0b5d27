import { Component, type ComponentChildren } from 'preact';
import { asClientError } from '../data/use-request.ts';
import { Failure } from '../parts/failure.tsx';

/** A page that fails to draw must not take the others with it. */
export class PageErrors extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error });
  }

  override render({ children }: { children: ComponentChildren }, { error }: { error: unknown }) {
    if (error === null) return children;
    return (
      <main class="page wrap">
        <Failure error={asClientError(error)} retry={() => this.setState({ error: null })} />
      </main>
    );
  }
}
