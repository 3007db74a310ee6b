import CarillonBytes

// MARK: - Faults and the buttons that bring them

extension PageView {
    /// An operation of the control API behind a button of the page.
    struct Control: Hashable, Sendable {
        var name: String
        var method = "POST"
        var path: String
        var body = ""
    }

    /// Frequently used faults.
    static let presets = [
        Control(
            name: "503 for the next 10",
            path: "/faults",
            body: fault("503", "ServiceUnavailable", #","count":10"#)
        ),
        Control(name: "500 for 10 %", path: "/faults", body: fault("500", "InternalServerError", share)),
        Control(name: "429 for 10 %", path: "/faults", body: fault("429", "TooManyRequests", share)),
        Control(name: "BadDeviceToken for 10 %", path: "/faults", body: fault("400", "BadDeviceToken", share)),
        Control(name: "Unregistered for 10 %", path: "/faults", body: fault("410", "Unregistered", share)),
        Control(name: "Answer 300 ms late", path: "/faults", body: #"{"latencyMilliseconds":300}"#),
        Control(name: "Refuse the next stream", path: "/faults", body: #"{"kind":"reset","count":1,"errorCode":7}"#),
        Control(name: "GOAWAY at the next request", path: "/faults", body: #"{"kind":"goaway","count":1}"#),
        Control(name: "Cut at the next request", path: "/faults", body: #"{"kind":"close","count":1}"#),
        Control(name: "Stall at the next request", path: "/faults", body: #"{"kind":"stall","count":1}"#),
    ]

    private static let share = #","percent":10"#

    private static func fault(_ status: String, _ reason: String, _ rest: String) -> String {
        #"{"status":\#(status),"reason":"\#(reason)"\#(rest)}"#
    }

    var faults: HTML {
        """
        \(faultsInForce)\
        <h3>Add a fault</h3><div class="buttons">\(Self.presets.map { button($0) })</div>\
        <h3>The network</h3><div class="buttons">\(network.map { button($0) })</div>
        """
    }

    private var network: [Control] {
        let switching =
            snapshot.isAvailable
            ? Control(name: "Go offline", method: "PUT", path: "/availability", body: #"{"available":false}"#)
            : Control(
                name: "Go online",
                method: "PUT",
                path: "/availability",
                body: #"{"available":true}"#
            )
        return [
            switching, Control(name: "Cut all connections", method: "DELETE", path: "/connections"),
            Control(name: "Reset counters", path: "/reset"),
        ]
    }

    private var faultsInForce: HTML {
        guard !snapshot.faults.isEmpty else {
            return #"<p class="empty">None: requests are answered as Apple would.</p>"#
        }
        let shown = snapshot.faults.prefix(50).map { fault -> HTML in
            let remove = Control(name: "Remove", method: "DELETE", path: "/faults/\(fault.id)")
            return """
                <li data-key="\(fault.id)"><span><bdi>\(fault.wording)</bdi></span>\
                \(button(remove, label: "Remove the fault: \(fault.wording)"))</li>
                """
        }
        let all = Control(name: "Remove all", method: "DELETE", path: "/faults")
        return #"<ul class="faults">\#(shown)</ul><div class="buttons">\#(button(all, tone: "warn"))</div>"#
    }

    private func button(_ control: Control, label: String? = nil, tone: String = "") -> HTML {
        let spoken: HTML = label.map { #" aria-label="\#($0)""# } ?? ""
        return """
            <button type="button" class="\(tone)" data-method="\(control.method)" data-path="\(control.path)" \
            data-body="\(control.body)" title="\(control.method) \(control.path) \(control.body)"\(spoken)>\
            \(control.name)</button>
            """
    }
}

extension Fault {
    /// The fault in one line.
    var wording: String {
        [whom, what, effect].compactMap { $0 }.joined(separator: " ")
    }

    private var whom: String {
        var words = count.map { $0 == 1 ? "The next request" : "The next \($0) requests" } ?? "Every request"
        if families != [.devices] { words += " for " + families.map(\.rawValue).sorted().joined(separator: ", ") }
        if let percent { words += ", \(Wording.percent(percent)) of them" }
        if let token { words += ", to \(Wording.deviceToken(Hexadecimal.encode(token)))" }
        if let topic { words += ", for \(Wording.shortened(topic, to: 80))" }
        if let listener { words += ", on \(Wording.shortened(listener, to: 40))" }
        if let start { words += ", from \(Wording.time(start))" }
        if let end { words += ", until \(Wording.time(end))" }
        return words + ":"
    }

    private var what: String {
        switch kind {
        case .answer: answer
        case .reset: "the stream is reset with code \(errorCode ?? 2)"
        case .goAway: "GOAWAY \(hasEmptyDebug ? "without a reason" : Wording.shortened(reason ?? "Shutdown", to: 60))"
        case .close: "the connection is cut"
        case .stall:
            latency.map { "the connection answers nothing for a while, \($0.wording)" }
                ?? "the connection answers nothing any more"
        case .streamLimit: "the connection may have \(streamLimit ?? 1) streams open"
        }
    }

    private var answer: String {
        let status = status.map { "\($0) " + Wording.shortened(reason ?? "InternalServerError", to: 60) }
        let late = latency.map { $0.wording + " late" }
        return [status ?? "the usual answer", late].compactMap { $0 }.joined(separator: ", ")
    }

    private var effect: String? {
        takesEffect ? "(but it takes effect)" : nil
    }
}

extension Latency {
    /// The distribution in a few words.
    var wording: String {
        switch self {
        case .constant(let span): Wording.span(span)
        case .uniform(let shortest, let longest): Wording.span(shortest) + " to " + Wording.span(longest)
        case .normal(let mean, let deviation): Wording.span(mean) + " ± " + Wording.span(deviation)
        case .longTailed(let median, let percentile99):
            Wording.span(median) + " (1 in 100 over " + Wording.span(percentile99) + ")"
        }
    }
}
