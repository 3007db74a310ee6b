import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension DeviceTable {
    /// Sets what becomes of a row's token, and takes it from whoever has it.
    func updateToken(
        from old: DeviceRow?,
        _ fate: DeviceToken.Fate,
        _ new: inout DeviceRow,
        _ change: DeviceChange
    ) throws {
        try takeOldToken(like: new.registration, new.number, change)
        switch (fate, new.registration.token) {
        case (.kept, _):
            break
        case (.removed, _), (.registered, nil):
            if let token = old?.registration.token {
                let left = TenantToken(token: token, tenant: old?.registration.tenant)
                try connection.removedTokens.note(left, app: new.app, at: change.at)
            }
            (new.registration.token, new.tokenState, new.tokenAt) = (nil, .none, nil)
            new.isTokenUnconfirmed = false
            return
        case (.registered, let token?):
            (new.tokenState, new.tokenAt) = (.active, change.at)
            let before = old?.registration
            if token != before?.token || new.registration.pushType != before?.pushType {
                new.isTokenUnconfirmed = true
            }
            if token != before?.token || new.registration.pushType != before?.pushType
                || new.registration.tenant != before?.tenant
            {
                try connection.deviceTokens.takeToken(
                    token,
                    like: new.registration,
                    app: new.app,
                    for: new.device,
                    new.number,
                    at: change.at
                )
            }
        }
        if change.tokensPerUser == .one, new.registration.token != nil, let user = new.registration.user {
            try connection.deviceTokens.removeTokens(of: user, butOf: old?.number ?? new.number, app: new.app)
        }
    }

    /// Whoever has the token that this phone had before is the same phone.
    func takeOldToken(like registration: Registration, _ number: DeviceNumber, _ change: DeviceChange) throws {
        guard let token = change.oldToken else { return }
        try connection.deviceTokens.takeToken(
            token,
            like: registration,
            app: change.app,
            for: change.device,
            number,
            at: change.at
        )
    }
}
