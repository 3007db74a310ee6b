import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Terms about what stands in the Device's own row.
extension AudienceStatement {
    mutating func text(_ field: AudienceTextField, _ match: AudienceMatch<String>) {
        switch field {
        case .language: language(match)
        case .country:
            let raised = dialect.pick(sqlite: "UPPER(d.country)", postgreSQL: "UPPER(d.country COLLATE \"C\")")
            matches(match, { $0.add(raised) }, { .text($0.uppercased()) })
        case .model: matches(match, { $0.add("d.model") }, { .text($0) })
        case .timeZone: matches(match, { $0.add("d.time_zone") }, { .text($0) })
        }
    }

    /// Compares tags with a hyphen after them, up to that of the one that is asked for: `ko` stands for `ko-KR` too.
    ///
    /// PostgreSQL's LOWER goes by the locale unless it is told otherwise.
    private mutating func language(_ match: AudienceMatch<String>) {
        let tags = match.values.map { tag in tag.lowercased().replacing("_", with: "-") }
        let groups = Dictionary(grouping: tags, by: \.utf8.count).sorted { $0.key < $1.key }
        negated(if: match.isNegated) { statement in
            statement.add("(")
            for (place, (length, tags)) in groups.enumerated() {
                if place > 0 { statement.add(" OR ") }
                statement.language(tags, length: length)
            }
            statement.add(")")
        }
    }

    private mutating func language(_ tags: [String], length: Int) {
        // It is asked of many Devices that are not meant. Where nothing has to be replaced inside, one function does it.
        if dialect == .sqlite, !tags.contains(where: { $0.contains("-") }) {
            add("SUBSTR(d.language, 1, ")
            sql.append(number: length + 1)
            add(") COLLATE NOCASE IN (")
            sql.bind(list: tags.flatMap { [.text($0), .text($0 + "-"), .text($0 + "_")] })
        } else {
            add(
                dialect.pick(
                    sqlite: "SUBSTR(REPLACE(LOWER(d.language), '_', '-') || '-', 1, ",
                    postgreSQL: "SUBSTR(REPLACE(LOWER(d.language COLLATE \"C\"), '_', '-') || '-', 1, "
                )
            )
            sql.append(number: length + 1)
            add(") IN (")
            sql.bind(list: tags.map { .text($0 + "-") })
        }
        add(")")
    }

    mutating func version(_ field: AudienceVersionField, _ ordering: AudienceOrdering<AudienceVersion>) {
        let column: SQL =
            switch field {
            case .appVersion: "carillon_version(d.app_version)"
            case .osVersion: "carillon_version(d.os_version)"
            }
        switch ordering {
        case .isAny(let versions):
            matches(AudienceMatch.isAny(versions), { $0.add(column) }, { .text(VersionKey.key(of: $0)) })
        case .relation(let relation, let version):
            negated(if: relation == .notEqual) { statement in
                statement.add("(")
                statement.add(column)
                statement.add(relation == .notEqual ? AudienceRelation.equal.sql : relation.sql)
                statement.bind(VersionKey.key(of: version))
                statement.add(")")
            }
        }
    }

    /// The kind of the token that is sent to; of an estimate, of any of the Device's.
    mutating func pushType(_ match: AudienceMatch<PushType>) {
        let types = match.values.map { SQLValue.integer($0.code) }
        negated(if: match.isNegated) { statement in
            switch statement.columns {
            case .recipients(.notification, _), .candidates(.notification, _): statement.add("(d.push_type IN (")
            case .recipients(.voip, _), .candidates(.voip, _): statement.add("(t.push_type IN (")
            case .reach:
                statement.add("((d.token IS NOT NULL AND d.push_type IN (")
                statement.sql.bind(list: types)
                statement.add(")) OR t.push_type IN (")
            }
            statement.sql.bind(list: types)
            statement.add("))")
        }
    }

    mutating func flag(_ flag: AudienceFlag) {
        switch flag {
        case .notifications: add("((d.consent & 1) <> 0)")
        case .ads: add("((d.consent & 2) <> 0)")
        case .nightAds: add("((d.consent & 4) <> 0)")
        case .hasUser: add("(d.user_id IS NOT NULL)")
        }
    }

    mutating func exists(_ field: AudienceOptionalField) {
        switch field {
        case .attribute(let name): attribute(name) { $0.add("1 = 1") }
        case .text(.language): add("(d.language IS NOT NULL)")
        case .text(.country): add("(d.country IS NOT NULL)")
        case .text(.model): add("(d.model IS NOT NULL)")
        case .text(.timeZone): add("(d.time_zone IS NOT NULL)")
        case .version(.appVersion): add("(d.app_version IS NOT NULL)")
        case .version(.osVersion): add("(d.os_version IS NOT NULL)")
        }
    }

    // MARK: - Time and place

    mutating func time(_ field: AudienceTimeField, _ relation: AudienceRelation, _ instant: Timestamp) {
        switch field {
        case .registered: add("(d.created_at")
        case .lastSeen: add("(d.registered_at")
        case .notificationsGiven: add("(d.notifications_since IS NOT NULL AND d.notifications_since")
        case .adsGiven: add("(d.ads_since IS NOT NULL AND d.ads_since")
        case .nightAdsGiven: add("(d.night_ads_since IS NOT NULL AND d.night_ads_since")
        }
        add(relation.sql)
        bind(instant.rawValue)
        add(")")
    }

    mutating func within(_ area: AudienceArea) {
        let box = AreaBox(area)
        add("(d.latitude >= ")
        bind(box.latitudes.lowerBound)
        add(" AND d.latitude <= ")
        bind(box.latitudes.upperBound)
        if let (west, east) = box.longitudes {
            add(" AND (d.longitude >= ")
            bind(west)
            // Where the box crosses the 180th meridian it has two parts.
            add(west <= east ? " AND d.longitude <= " : " OR d.longitude <= ")
            bind(east)
            add(")")
        }
        add(" AND carillon_distance(d.latitude, d.longitude, ")
        bind(area.latitude)
        add(", ")
        bind(area.longitude)
        add(") <= ")
        bind(Double(area.radius))
        add(")")
    }
}
