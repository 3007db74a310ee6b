/// The page: a snapshot as HTML, whole or by region.
///
/// Has no I/O, so that it can be tested without a socket. There is no inline style and no inline script, which the
/// page's Content-Security-Policy forbids.
struct PageView: Sendable {
    /// The parts of the page that are updated.
    enum Region: String, CaseIterable, Sendable {
        case state
        case counters
        case phone
        case reasons
        case faults
        case rules
        case connections
        case requests
    }

    let snapshot: Snapshot
    /// Requests validated in each of the last seconds, oldest first.
    var rates: [Int] = []

    var document: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>APNs simulator</title>
        <link rel="icon" href="/page.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/page.css">
        <script src="/page.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#requests">Skip to the last requests</a>
        <header>
        \(Self.signal)<h1>APNs simulator</h1>
        <div id="state">\(state)</div>
        <p id="live" class="live" data-live="off"><span class="dot"></span><span id="live-text">Not live</span></p>
        </header>
        <p id="say" class="unseen" role="status" aria-live="polite"></p>
        <noscript><p class="notice">Without JavaScript this page shows what was so when it was loaded.</p></noscript>
        <main>
        <section class="counters" aria-label="Counters" id="counters">\(counters)</section>
        <div class="columns">
        <div class="left">
        \(panel("faults", "Faults", faults))
        \(panel("reasons", "Answers by reason", reasons))
        \(panel("rules", "Rules", rules))
        \(panel("connections", "Connections", connections))
        </div>
        <div class="right">
        \(panel("phone", "Last notification", phone))
        </div>
        </div>
        <section class="panel" aria-labelledby="requests-title">
        <h2 id="requests-title" tabindex="-1">Last requests</h2>
        <p class="hint" id="held" hidden>The list is held while a request is open.</p>
        <input type="checkbox" id="refusals"> <label for="refusals">Only requests that were not accepted</label>
        <div id="requests">\(requests)</div>
        </section>
        </main>
        <footer>Times are UTC, by the simulator’s clock. The same over HTTP: <a href="/stats">/stats</a>,
        <a href="/requests">/requests</a>, <a href="/faults">/faults</a>, <a href="/listeners">/listeners</a>, <a href="/events">/events</a>,
        <a href="/openapi.yaml">/openapi.yaml</a>.</footer>
        </body>
        </html>

        """
    }

    subscript(region: Region) -> HTML {
        switch region {
        case .state: state
        case .counters: counters
        case .phone: phone
        case .reasons: reasons
        case .faults: faults
        case .rules: rules
        case .connections: connections
        case .requests: requests
        }
    }

    /// One sentence for screen readers.
    var sentence: String {
        let counters = snapshot.counters
        return "\(counters.accepted) accepted, \(counters.rejected) refused, \(counters.unanswered) unanswered."
    }

    private func panel(_ id: String, _ title: String, _ content: HTML) -> HTML {
        """
        <section class="panel" aria-labelledby="\(id)-title">
        <h2 id="\(id)-title">\(title)</h2>
        <div id="\(id)">\(content)</div>
        </section>
        """
    }

    private static let signal: HTML = """
        <svg class="signal" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2a6 6 0 0 0-6 6c0 6-2.5 7.5-2.5 9h17c0-1.5-\
        2.5-3-2.5-9a6 6 0 0 0-6-6zm-2.5 17a2.5 2.5 0 0 0 5 0z"/></svg>
        """
}

// MARK: - State, counters, reasons

extension PageView {
    private var state: HTML {
        let availability: HTML =
            snapshot.isAvailable ? "" : #"<span class="tag bad">off the network</span>"#
        return """
            \(snapshot.listeners.prefix(16).map(listener))\(availability)\(snapshot.scenario.map(scenario) ?? "")
            """
    }

    private func listener(_ listener: ListenerConfiguration) -> HTML {
        let environment = listener.rules.environment.rawValue
        guard listener.name != environment, listener.name != "main" else {
            return #"<span class="tag">\#(environment)</span>"#
        }
        return #"<span class="tag"><bdi>\#(Wording.shortened(listener.name, to: 60))</bdi>: \#(environment)</span>"#
    }

    private func scenario(_ progress: ScenarioProgress) -> HTML {
        """
        <span class="tag">scenario: <bdi>\(Wording.shortened(progress.name, to: 60))</bdi>, \
        step \(progress.taken) of \(progress.steps)</span>
        """
    }

    private var counters: HTML {
        let counters = snapshot.counters
        return """
            \(card("Accepted", counters.accepted, "good"))\(card("Refused", counters.rejected, "bad"))\
            \(card("Unanswered", counters.unanswered, "warn"))\(rate)\
            \(card("Connections", counters.connectionsOpen, ""))\(card("Streams open", counters.streamsOpen, ""))
            """
    }

    private func card(_ name: String, _ value: Int, _ tone: String) -> HTML {
        """
        <div class="card \(value == 0 ? "zero" : tone)"><span class="value">\(Wording.number(value))</span>\
        <span class="name">\(name)</span></div>
        """
    }

    private var rate: HTML {
        let now = rates.last ?? 0
        return """
            <div class="card wide"><span class="value">\(Wording.number(now))</span>\
            <span class="name">Requests a second</span>\(sparkline)</div>
            """
    }

    /// The last minute, one point a second.
    private var sparkline: HTML {
        let top = max(rates.max() ?? 0, 1)
        let width = 60
        let points = rates.suffix(width).enumerated().map { position, rate in
            "\(position + width - min(rates.count, width)),\(30 - rate * 28 / top)"
        }
        return """
            <svg class="sparkline" viewBox="0 0 60 32" preserveAspectRatio="none" aria-hidden="true">\
            <polyline points="\(points.joined(separator: " "))"/></svg>
            """
    }

    private var reasons: HTML {
        let results = snapshot.counters.results.filter { $0.value > 0 }
        guard !results.isEmpty else { return #"<p class="empty">No request has come yet.</p>"# }
        let total = max(snapshot.judged, 1)
        let sorted = results.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        let rows = sorted.prefix(40).map { reason, count in
            row(reason, count, of: total, tone: reason == "accepted" ? "good" : "bad")
        }
        let unanswered: [HTML] =
            snapshot.counters.unanswered > 0
            ? [row("no answer", snapshot.counters.unanswered, of: total, tone: "warn")] : []
        return """
            <table><thead><tr><th scope="col">Reason</th><th scope="col" class="number">Requests</th>\
            <th scope="col" class="number">Share</th><th scope="col"><span class="unseen">Bar</span></th></tr></thead>\
            <tbody>\(rows + unanswered)</tbody></table>
            """
    }

    private func row(_ name: String, _ count: Int, of total: Int, tone: String) -> HTML {
        """
        <tr data-key="\(name)"><th scope="row"><bdi>\(Wording.shortened(name, to: 60))</bdi></th>\
        <td class="number">\(Wording.number(count))</td>\
        <td class="number">\(Wording.percent(Double(count) * 100 / Double(total)))</td>\
        <td class="bar"><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">\
        <rect class="\(tone)" width="\(max(1, min(100, count * 100 / total)))" height="6" rx="2"/></svg></td></tr>
        """
    }
}
