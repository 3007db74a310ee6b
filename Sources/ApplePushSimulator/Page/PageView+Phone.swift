// MARK: - The phone

extension PageView {
    var phone: HTML {
        guard let entry = snapshot.lastAccepted else {
            return """
                \(screen("", lock(nil), note: "No notification was accepted yet."))
                """
        }
        let preview = NotificationPreview(of: entry.request.request)
        return """
            <div data-key="\(entry.number)">\(screen(surfaceClass(preview), content(preview, at: entry.request.at)))\
            \(facts(preview, entry.request))</div>
            """
    }

    private func screen(_ kind: String, _ content: HTML, note: String? = nil) -> HTML {
        let text: HTML = note.map { #"<p class="screen-note">\#($0)</p>"# } ?? ""
        return
            #"<div class="phone \#(kind)"><div class="screen"><div class="island"></div>\#(content)\#(text)</div></div>"#
    }

    private func surfaceClass(_ preview: NotificationPreview) -> String {
        switch preview.surface {
        case .banner, .activity: "lit"
        case .call: "calling"
        case .nowhere: "dark"
        }
    }

    private func content(_ preview: NotificationPreview, at time: SimulatedTime) -> HTML {
        switch preview.surface {
        case .banner: "\(lock(time))\(banner(preview))"
        case .activity(let event, let state): "\(lock(time))\(activity(preview, event, state))"
        case .call: call(preview)
        case .nowhere(let sentence): #"\#(lock(time))<p class="screen-note">\#(sentence)</p>"#
        }
    }

    private func lock(_ time: SimulatedTime?) -> HTML {
        #"<p class="clock" aria-hidden="true">\#(time.map(Wording.clock) ?? "–:–")</p>"#
    }

    private func banner(_ preview: NotificationPreview) -> HTML {
        """
        <div class="banner">\(icon(preview))<div class="texts"><p class="app"><bdi>\(preview.appName)</bdi>\
        <span class="now">now</span></p>\(level(preview))\(line("title", preview.title))\
        \(line("subtitle", preview.subtitle))\(line("body", preview.body))</div>\(picture(preview))</div>
        """
    }

    private func level(_ preview: NotificationPreview) -> HTML {
        switch preview.facts.first(where: { $0.name == "interruption-level" })?.value {
        case "time-sensitive": #"<p class="level">Time sensitive</p>"#
        case "critical": #"<p class="level critical">Critical</p>"#
        case "passive": #"<p class="level">Passive: no sound, no light</p>"#
        default: ""
        }
    }

    private func line(_ name: String, _ text: String?) -> HTML {
        text.map { #"<p class="\#(name)" dir="auto">\#($0)</p>"# } ?? ""
    }

    /// The app's icon: the first letter on one of eight colours, with the badge.
    private func icon(_ preview: NotificationPreview) -> HTML {
        let colour = preview.topic.utf8.reduce(0) { ($0 * 31 + Int($1)) % 8 }
        let badge: HTML =
            preview.badge.map { $0 > 0 ? #"<span class="badge">\#(Wording.number($0))</span>"# : "" } ?? ""
        return """
            <span class="icon tint\(colour)" aria-hidden="true">\(preview.appName.prefix(1).uppercased())\(badge)</span>
            """
    }

    private func picture(_ preview: NotificationPreview) -> HTML {
        guard let image = preview.image else { return "" }
        return """
            <span class="picture\(image.isFetched ? "" : " missing")" role="img" aria-label="A picture: \(image.file)">\
            <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 5h18v14H3zm3 11h12l-4-6-3 4-2-2z"/></svg></span>
            """
    }

    private func activity(
        _ preview: NotificationPreview,
        _ event: String,
        _ state: [NotificationPreview.Field]
    ) -> HTML {
        """
        <div class="activity"><p class="app">\(icon(preview))<bdi>\(preview.appName)</bdi>\
        <span class="now">Live Activity, \(event)</span></p>\(line("title", preview.title))\
        \(line("body", preview.body))<dl>\(state.map(pair))</dl></div>
        """
    }

    private func call(_ preview: NotificationPreview) -> HTML {
        """
        <p class="caller"><bdi>\(preview.appName)</bdi></p><p class="ringing">incoming call</p>\
        <p class="screen-note">The app must report the call to CallKit at once.</p>\
        <div class="handsets" aria-hidden="true"><span class="decline"></span><span class="accept"></span></div>
        """
    }

    private func facts(_ preview: NotificationPreview, _ request: RecordedRequest) -> HTML {
        var fields = [
            NotificationPreview.Field(name: "push type", value: preview.pushType ?? "none named"),
            NotificationPreview.Field(name: "topic", value: preview.topic),
            NotificationPreview.Field(name: "device token", value: request.request.shortToken),
        ]
        if let badge = preview.badge { fields.append(.init(name: "badge", value: "\(badge)")) }
        if let sound = preview.sound { fields.append(.init(name: "sound", value: sound)) }
        if let image = preview.image {
            let note = image.isFetched ? "" : " — not downloaded: mutable-content is not 1"
            fields.append(.init(name: "picture", value: image.file + " at " + image.host + note))
        }
        return #"<dl class="facts">\#((fields + preview.facts).map(pair))</dl>"#
    }

    private func pair(_ field: NotificationPreview.Field) -> HTML {
        "<div><dt><bdi>\(field.name)</bdi></dt><dd><bdi>\(field.value)</bdi></dd></div>"
    }
}
