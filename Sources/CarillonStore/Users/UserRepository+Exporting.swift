import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension UserRepository {
    func exported(
        of user: UserID,
        app: AppID,
        from position: UserExportPosition
    ) async throws(StoreError) -> UserExportPage {
        if position.section == .campaigns { return try await exportedCampaigns(of: user, app: app, from: position) }
        if position.section == .audiences { return try await exportedAudiences(of: user, app: app, from: position) }
        return try await database.read { connection in
            let reading = UserExportReading(user: user, app: app, position: position, connection: connection)
            return try reading.page()
        }
    }

    // MARK: - Private

    private func exportedAudiences(
        of user: UserID,
        app: AppID,
        from position: UserExportPosition
    ) async throws(StoreError) -> UserExportPage {
        let devices = try await devices(of: user, app: app)
        let lines = try await savedAudiences(naming: user, devices, app: app).map { saved in
            var line = UserExportLine(.savedAudience)
            line.audience = AudienceID(rawValue: saved.id)
            return line
        }
        return UserExportPage(lines: lines, next: position.nextSection)
    }

    private func exportedCampaigns(
        of user: UserID,
        app: AppID,
        from position: UserExportPosition
    ) async throws(StoreError) -> UserExportPage {
        let devices = try await devices(of: user, app: app)
        let after = position.number < 0 ? nil : CampaignID(rawValue: position.number)
        let window = try await campaigns(naming: user, devices, app: app, after: after)
        var lines: [UserExportLine] = []
        for id in window.found {
            guard let campaign = try await namingCampaign(id, app: app),
                campaign.audience(without: user, devices) != nil
            else { continue }
            lines.append(campaign.exported(id, user, devices))
        }
        let next = window.last.map { UserExportPosition(.campaigns, number: $0.rawValue) }
        return UserExportPage(lines: lines, next: next ?? position.nextSection)
    }
}

extension NamingCampaign {
    fileprivate func exported(_ id: CampaignID, _ user: UserID, _ devices: Set<DeviceID>) -> UserExportLine {
        var line = UserExportLine(kind == .userMessage ? .userMessage : .campaignList)
        line.campaign = id
        let (audience, message) = (campaign.audience, campaign.message)
        line.name = campaign.name
        line.at = campaign.createdAt
        if kind == .userMessage {
            if case .string(let from)? = message.data["from"] { line.from = UserID(rawValue: from) }
            if case .users(let users) = audience { line.to = users.first }
            line.message = message
            return line
        }
        if audience.isToOne { line.message = message }
        let ids = [user.rawValue] + devices.map(\.description).sorted()
        line.named =
            switch audience {
            case .users: [user.rawValue]
            case .devices(let listed): listed.filter(devices.contains).map(\.description)
            case .rule(let rule): ids.filter { rule.text.contains($0) }
            case .all, .saved, .redacted: nil
            }
        return line
    }
}
