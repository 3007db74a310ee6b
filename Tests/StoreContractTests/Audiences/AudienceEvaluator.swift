import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore

/// Evaluates rules in memory according to the documentation, independent of SQL.
struct AudienceEvaluator {
    let population: AudiencePopulation

    var channel = Campaign.Channel.notification

    /// The Devices with a token of the channel that match a rule.
    func matches(_ rule: AudienceRule) -> [Int64] {
        population.devices
            .filter { (channel == .voip ? $0.hasCallToken : $0.hasToken) && holds(rule, $0) }
            .map(\.number)
    }

    func holds(_ rule: AudienceRule, _ device: SampledDevice) -> Bool {
        switch rule {
        case .and(let rules): rules.allSatisfy { holds($0, device) }
        case .or(let rules): rules.contains { holds($0, device) }
        case .not(let rule): !holds(rule, device)
        case .term(let term): holds(term, device)
        }
    }

    private func holds(_ term: AudienceTerm, _ device: SampledDevice) -> Bool {
        switch term {
        case .tag(let id): return device.tags.contains { population.tags[$0].id == id }
        case .tagName(let name): return device.tags.contains { population.tags[$0].name == name }
        case .category(let dimension, let match):
            let labels = device.categories ?? ["": ["1"]]
            return isMatch(match) { labels[dimension ?? ""]?.contains($0) == true }
        case .attribute(let name, let test): return holds(test, attribute(name, device))
        case .exists(.attribute(let name)): return attribute(name, device) != nil
        case .exists(.text(let field)): return text(field, device) != nil
        case .exists(.version(let field)): return version(field, device) != nil
        case .text(let field, let match): return holds(field, match, text(field, device))
        case .user(let match): return isMatch(match) { $0 == device.user }
        case .device(let match): return isMatch(match) { $0 == device.id }
        case .pushType(let match): return isMatch(match) { $0 == (channel == .voip ? .apnsVoIP : device.pushType) }
        case .version(let field, let ordering): return holds(ordering, version(field, device))
        case .flag(.notifications): return device.consent.contains(.notifications)
        case .flag(.ads): return device.consent.contains(.ads)
        case .flag(.nightAds): return device.consent.contains(.nightAds)
        case .flag(.hasUser): return device.user != nil
        case .time(let field, let relation, let instant):
            let now = Timestamp(rawValue: AudiencePopulation.now)
            guard let value = device.time(field) else { return false }
            return compare(value, relation, instant.timestamp(now: now).rawValue)
        case .within(let area):
            guard let place = device.place else { return false }
            return Sphere.distance(place, (area.latitude, area.longitude)) <= Double(area.radius)
        case .event(let event): return holds(event, device)
        }
    }

    // MARK: - Private

    private func isMatch<Value>(_ match: AudienceMatch<Value>, _ isOne: (Value) -> Bool) -> Bool {
        switch match {
        case .isEqual(let value): isOne(value)
        case .isNotEqual(let value): !isOne(value)
        case .isAny(let values): values.contains(where: isOne)
        }
    }

    private func compare<Value: Comparable>(_ a: Value, _ relation: AudienceRelation, _ b: Value) -> Bool {
        switch relation {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .atMost: a <= b
        case .greater: a > b
        case .atLeast: a >= b
        }
    }

    private func text(_ field: AudienceTextField, _ device: SampledDevice) -> String? {
        switch field {
        case .language: device.language
        case .country: device.country
        case .model: device.model
        case .timeZone: device.timeZone
        }
    }

    private func holds(_ field: AudienceTextField, _ match: AudienceMatch<String>, _ value: String?) -> Bool {
        isMatch(match) { wanted in
            guard let value else { return false }
            switch field {
            case .language:
                let parts = value.lowercased().split(whereSeparator: { "-_".contains($0) })
                return parts.starts(with: wanted.lowercased().split(whereSeparator: { "-_".contains($0) }))
            case .country: return value.uppercased() == wanted.uppercased()
            case .model, .timeZone: return value == wanted
            }
        }
    }

    private func attribute(_ name: String, _ device: SampledDevice) -> JSONValue? {
        device.user.flatMap { population.attributes[$0]?[name] }
    }

    private func holds(_ test: AudienceAttributeTest, _ value: JSONValue?) -> Bool {
        switch test {
        case .text(let match): return isMatch(match) { value == .string($0) }
        case .flag(let isEqual, let flag): return (value == .bool(flag)) == isEqual
        case .number(.isAny(let numbers)): return numbers.contains { isNumber(value, .equal, $0) }
        case .number(.relation(.notEqual, let number)): return !isNumber(value, .equal, number)
        case .number(.relation(let relation, let number)): return isNumber(value, relation, number)
        }
    }

    private func isNumber(_ value: JSONValue?, _ relation: AudienceRelation, _ number: AudienceNumber) -> Bool {
        switch (value, number.whole) {
        case (.integer(let value), let whole?): compare(value, relation, whole)
        case (.integer(let value), nil): compare(Double(value), relation, number.value)
        case (.number(let value), _): compare(value, relation, number.value)
        default: false
        }
    }

    private func version(_ field: AudienceVersionField, _ device: SampledDevice) -> String? {
        field == .appVersion ? device.appVersion : device.osVersion
    }

    private func holds(_ ordering: AudienceOrdering<AudienceVersion>, _ value: String?) -> Bool {
        func isVersion(_ relation: AudienceRelation, _ wanted: AudienceVersion) -> Bool {
            guard let numbers = value.flatMap(numbers(of:)) else { return false }
            let other = wanted.numbers + Array(repeating: 0, count: 4 - wanted.numbers.count)
            if relation == .equal { return numbers == other }
            if numbers == other { return relation == .atMost || relation == .atLeast }
            let isLess = numbers.lexicographicallyPrecedes(other)
            return isLess == (relation == .less || relation == .atMost)
        }
        switch ordering {
        case .isAny(let versions): return versions.contains { isVersion(.equal, $0) }
        case .relation(.notEqual, let version): return !isVersion(.equal, version)
        case .relation(let relation, let version): return isVersion(relation, version)
        }
    }

    private func numbers(of version: String) -> [Int64]? {
        let start = version.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        let numbers = start.split(separator: ".").prefix(4).compactMap { Int64($0) }
        return numbers.isEmpty ? nil : numbers + Array(repeating: 0, count: 4 - numbers.count)
    }

    private func holds(_ event: AudienceEvent, _ device: SampledDevice) -> Bool {
        let occurrences = population.campaigns[event.campaign] ?? []
        return device.history.contains { entry in
            guard occurrences.contains(entry.occurrence) else { return false }
            switch event.kind {
            case .sent: return entry.isDelivery
            case .received: return !entry.isDelivery && entry.kind == .received
            case .opened: return !entry.isDelivery && entry.kind == .opened
            case .clicked:
                return !entry.isDelivery && entry.kind == .action
                    && (event.action == nil || event.action == entry.action)
            }
        }
    }
}

extension SampledDevice {
    /// The time of a condition; consents have their Device's times.
    func time(_ field: AudienceTimeField) -> Int64? {
        switch field {
        case .lastSeen: registeredAt
        case .registered: createdAt
        case .notificationsGiven: consent.contains(.notifications) ? createdAt : nil
        case .adsGiven: consent.contains(.ads) ? registeredAt : nil
        case .nightAdsGiven: consent.contains(.nightAds) ? max(createdAt, registeredAt) : nil
        }
    }
}
