// A running match: server-sent events from the dashboard's own server. The first message holds everything so far, later ones the
// new steps; the browser reconnects by itself and says where it was (Last-Event-ID).

export class LiveFeed {
  constructor(url, handlers) {
    this.handlers = handlers;
    this.tries = 0;
    this.source = new EventSource(url);
    this.source.addEventListener("whole", (event) => {
      this.tries = 0;
      handlers.state("");
      handlers.whole(JSON.parse(event.data));
    });
    this.source.addEventListener("part", (event) => {
      this.tries = 0;
      handlers.state("");
      handlers.part(JSON.parse(event.data));
    });
    this.source.addEventListener("waiting", (event) => {
      this.told = true;
      handlers.state(JSON.parse(event.data).text);
    });
    this.source.addEventListener("over", () => {
      this.close();
      handlers.over();
    });
    this.source.addEventListener("error", () => {
      this.tries += 1;
      if (this.told) {
        this.told = false; // the server said why it hung up; the browser comes back by itself
        return;
      }
      if (this.source.readyState === EventSource.CLOSED) handlers.state("The connection is closed. Reload the page to try again; you can still step through what has arrived.");
      else handlers.state(`Connection lost, trying again (${this.tries}). You can still step through what has arrived.`);
    });
  }

  close() {
    this.source.close();
  }
}
